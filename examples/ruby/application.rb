# The two callbacks and the sign-in with WEBrick and Ruby's openssl.
require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'webrick'

# What `authcli emulate service --port 8081` takes, unless the environment says otherwise.
CLIENT_ID = ENV.fetch('CLIENT_ID', 'authcli-client')
SECRET_KEY = ENV.fetch('SECRET_KEY', 'authcli-emulated-secret')
AUTH_URL = ENV.fetch('AUTH_URL', 'http://127.0.0.1:8081')

User = Struct.new(:key, :passcode, :info)
USERS = {} # by ptn_cd; yours are in a database, their keys encrypted

# A field that must be there, and be a string.
def text(fields, name)
  value = fields.fetch(name)
  raise ArgumentError, "#{name} is missing" unless value.is_a?(String) && !value.empty?

  value
end

def wrap(key, public_key)
  rsa = OpenSSL::PKey::RSA.new(public_key.unpack1('m0'))
  [rsa.public_encrypt(key, OpenSSL::PKey::RSA::PKCS1_PADDING)].pack('m0')
end

# AES-256-CBC with the key's characters as its bytes, the IV before the ciphertext.
def decrypt(payload, key)
  raw = payload.unpack1('m0')
  cipher = OpenSSL::Cipher.new('aes-256-cbc').decrypt
  cipher.key = key
  cipher.iv = raw[0, 16]
  (cipher.update(raw[16..]) + cipher.final).force_encoding('UTF-8')
end

def exchange_key(fields)
  ptn_cd = text(fields, 'ptn_cd')
  key = SecureRandom.hex(16) # 16 random bytes are 32 characters
  wrapped = wrap(key, text(fields, 'public_key'))
  USERS[ptn_cd] = User.new(key)
  { code: '0000', message: '', result: { enc_partner_key: wrapped } }
end

def register(fields)
  ptn_cd = text(fields, 'ptn_cd')
  user = USERS.fetch(ptn_cd)
  passcode = decrypt(text(fields, 'partner_sp'), user.key)
  info = JSON.parse(decrypt(text(fields, 'ubifill'), user.key)) if fields.key?('ubifill')
  # A new key may have come meanwhile, with a user of its own: this must not bring the old one back.
  user.passcode = passcode
  user.info = info
  { code: '0000', message: '' }
end

def callback(fields)
  raise ArgumentError, 'unknown client_id' unless text(fields, 'client_id') == CLIENT_ID

  case text(fields, 'used_type')
  when '1' then exchange_key(fields)
  when '2' then register(fields)
  else raise ArgumentError, 'unknown used_type'
  end
end

# Calls one of the service's endpoints; raises for any code but "0000". Net::HTTP follows no redirects.
def call(path, fields)
  body = JSON.generate({ client_id: CLIENT_ID, secret_key: SECRET_KEY, **fields })
  uri = URI(AUTH_URL + path)
  options = { use_ssl: uri.scheme == 'https', open_timeout: 10, read_timeout: 10 }
  response = Net::HTTP.start(uri.host, uri.port, options) do |http|
    http.post(uri.path, body, 'Content-Type' => 'application/json;charset=utf-8')
  end
  parsed = JSON.parse(response.body)
  raise "#{path}: #{parsed['code']} #{parsed['message']}" unless parsed['code'] == '0000'

  parsed['result']
end

def sign_in(fields)
  token = call('/process/token', ptn_token: text(fields, 'ptn_token'))
  user = USERS.fetch(text(token, 'ptn_cd'))
  ptn_sp = text(call('/process/authenticate', acs_token: text(token, 'acs_token')), 'ptn_sp')
  passcode = decrypt(ptn_sp, user.key)
  raise 'another passcode' unless OpenSSL.secure_compare(passcode, user.passcode)

  { ptn_cd: token['ptn_cd'] }
end

# Serves a path; why something is refused goes to the log alone.
def serve(server, path, status, refusal)
  server.mount_proc(path) do |request, response|
    response['Content-Type'] = 'application/json;charset=utf-8'
    response.body = JSON.generate(yield(JSON.parse(request.body)))
  rescue StandardError => e
    warn e.inspect
    response.status = status
    response.body = JSON.generate(refusal)
  end
end

port = Integer(ENV.fetch('PORT', '8080'))
logger = WEBrick::Log.new($stderr, WEBrick::Log::WARN)
# Otherwise a response on a kept connection waits 40 ms for an ACK between its header and its body.
no_delay = ->(socket) { socket.setsockopt(:TCP, :NODELAY, 1) }
server = WEBrick::HTTPServer.new(
  BindAddress: '127.0.0.1', Port: port, Logger: logger, AccessLog: [], AcceptCallback: no_delay
)
serve(server, '/callback', 400, { code: '9000', message: 'refused' }) { |fields| callback(fields) }
serve(server, '/sign-in', 401, { error: 'not signed in' }) { |fields| sign_in(fields) }
trap('TERM') { server.shutdown }
$stdout.puts "Listening on http://127.0.0.1:#{server.listeners[0].addr[1]}"
$stdout.flush
server.start

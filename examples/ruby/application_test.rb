# Tests of the application with minitest. authcli plays the service: it is started here, and ended.
require 'json'
require 'minitest/autorun'
require 'net/http'
require 'open3'
require 'rbconfig'
require 'shellwords'
require 'tmpdir'

AUTHCLI = Shellwords.split(ENV.fetch('AUTHCLI', 'authcli'))
# Settings and users of authcli that are only of these tests.
FOLDER = Dir.mktmpdir
CONFIG = { 'AUTHCLI_CONFIG' => File.join(FOLDER, 'config.json') }.freeze
Minitest.after_run { FileUtils.remove_entry(FOLDER) }

# Starts a command that prints its address when it listens; returns that address.
def start(command, env = {})
  process = IO.popen([CONFIG.merge(env), *command])
  Minitest.after_run do
    Process.kill('TERM', process.pid)
    Process.wait(process.pid)
  end
  address = process.gets.to_s[%r{http://[\d.:]+}] || raise("#{command} did not start")
  Thread.new { process.read } # so that it can print more
  address
end

class ApplicationTest < Minitest::Test
  def service
    @@service ||= start([*AUTHCLI, 'emulate', 'service', '--json'])
  end

  def application
    script = File.join(__dir__, 'application.rb')
    @@application ||= start([RbConfig.ruby, script], { 'AUTH_URL' => service, 'PORT' => '0' })
  end

  def test_callbacks_conform
    command = [*AUTHCLI, 'verify', '--url', "#{application}/callback"]
    printed, status = Open3.capture2e(CONFIG, *command)
    assert status.success?, printed
  end

  def test_signs_in_with_one_call_to_each_endpoint
    sign_up('alice')
    response = sign_in('alice')
    assert_equal '200', response.code
    assert_equal({ 'ptn_cd' => 'alice' }, JSON.parse(response.body))
    assert_equal [%w[token 0000], %w[authenticate 0000]], calls('alice')
  end

  def test_refuses_another_passcode
    sign_up('bob')
    post("#{service}/_authcli/faults", { name: 'wrong-passcode', ptn_cd: 'bob' })
    assert_equal '401', sign_in('bob').code
  end

  def sign_up(ptn_cd)
    fields = { ptn_cd: ptn_cd, callback_url: "#{application}/callback" }
    response = post("#{service}/_authcli/signup", fields)
    assert_equal '200', response.code, response.body
  end

  # Asks the application to sign the user in, with a token like one of the user's device.
  def sign_in(ptn_cd)
    token = JSON.parse(post("#{service}/_authcli/ptn-token", { ptn_cd: ptn_cd }).body)
    post("#{application}/sign-in", { ptn_token: token['ptn_token'] })
  end

  # What the service received for the user, and the codes that it responded with.
  def calls(ptn_cd)
    journal = Net::HTTP.get(URI("#{service}/_authcli/journal?ptn_cd=#{ptn_cd}"))
    JSON.parse(journal)['entries'].map { |entry| entry.values_at('operation', 'code') }
  end

  def post(url, fields)
    Net::HTTP.post(URI(url), JSON.generate(fields), 'Content-Type' => 'application/json')
  end
end

// The two callbacks and the sign-in with the standard library alone.
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// What `authcli emulate service --port 8081` takes, unless the environment says otherwise.
var (
	clientID  = env("CLIENT_ID", "authcli-client")
	secretKey = env("SECRET_KEY", "authcli-emulated-secret")
	authURL   = env("AUTH_URL", "http://127.0.0.1:8081")
)

type user struct{ key, passcode string }

// By ptn_cd. Yours are in a database, their keys encrypted.
var (
	users   sync.Map
	storing sync.Mutex
)

type object = map[string]any

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+env("PORT", "8080"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, routes()))
}

func routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/callback", handler(callback, 400, object{"code": "9000", "message": "refused"}))
	mux.Handle("/sign-in", handler(signIn, 401, object{"error": "not signed in"}))
	return mux
}

// Why something is refused goes to the log alone.
func handler(work func(fields object) (object, error), status int, refusal object) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var fields object
		err := json.NewDecoder(r.Body).Decode(&fields)
		response := refusal
		if err == nil {
			response, err = work(fields)
		}
		w.Header().Set("Content-Type", "application/json;charset=utf-8")
		if err != nil {
			log.Print(err)
			w.WriteHeader(status)
			response = refusal
		}
		json.NewEncoder(w).Encode(response)
	}
}

func callback(fields object) (object, error) {
	if text(fields, "client_id") != clientID {
		return nil, errors.New("unknown client_id")
	}
	switch text(fields, "used_type") {
	case "1":
		return exchangeKey(text(fields, "ptn_cd"), text(fields, "public_key"))
	case "2":
		return register(text(fields, "ptn_cd"), text(fields, "partner_sp"), text(fields, "ubifill"))
	}
	return nil, errors.New("unknown used_type")
}

func exchangeKey(ptnCd, publicKey string) (object, error) {
	if ptnCd == "" {
		return nil, errors.New("ptn_cd is missing")
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	key := hex.EncodeToString(random) // 16 random bytes are 32 characters
	wrapped, err := wrap(key, publicKey)
	if err != nil {
		return nil, err
	}
	storing.Lock()
	defer storing.Unlock()
	users.Store(ptnCd, user{key: key})
	return object{"code": "0000", "message": "", "result": object{"enc_partner_key": wrapped}}, nil
}

func register(ptnCd, partnerSp, ubifill string) (object, error) {
	known, ok := users.Load(ptnCd)
	if !ok {
		return nil, errors.New("unknown user")
	}
	key := known.(user).key
	passcode, err := decrypt(partnerSp, key)
	if err != nil {
		return nil, err
	}
	if ubifill != "" {
		if _, err := decrypt(ubifill, key); err != nil { // JSON; keep it with the user
			return nil, err
		}
	}
	storing.Lock()
	defer storing.Unlock()
	// A new key may have come meanwhile: this must not bring the old one back.
	if latest, _ := users.Load(ptnCd); latest.(user).key == key {
		users.Store(ptnCd, user{key, passcode})
	}
	return object{"code": "0000", "message": ""}, nil
}

func signIn(fields object) (object, error) {
	token, err := call("/process/token", object{"ptn_token": text(fields, "ptn_token")})
	if err != nil {
		return nil, err
	}
	known, ok := users.Load(text(token, "ptn_cd"))
	if !ok || known.(user).passcode == "" {
		return nil, errors.New("not registered")
	}
	result, err := call("/process/authenticate", object{"acs_token": text(token, "acs_token")})
	if err != nil {
		return nil, err
	}
	passcode, err := decrypt(text(result, "ptn_sp"), known.(user).key)
	if err != nil || subtle.ConstantTimeCompare([]byte(passcode), []byte(known.(user).passcode)) != 1 {
		return nil, errors.New("another passcode")
	}
	return object{"ptn_cd": text(token, "ptn_cd")}, nil
}

// A redirect is a response without a code: the secret goes to {auth_url} alone.
var client = http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Calls one of the service's endpoints; any code but "0000" is an error.
func call(path string, fields object) (object, error) {
	fields["client_id"], fields["secret_key"] = clientID, secretKey
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	response, err := client.Post(authURL+path, "application/json;charset=utf-8", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var parsed struct {
		Code, Message string
		Result        object
	}
	if err := json.NewDecoder(response.Body).Decode(&parsed); err != nil {
		return nil, err
	}
	if parsed.Code != "0000" {
		return nil, fmt.Errorf("%s: %s %s", path, parsed.Code, parsed.Message)
	}
	return parsed.Result, nil
}

func wrap(key, publicKey string) (string, error) {
	der, err := base64.StdEncoding.DecodeString(publicKey)
	if err != nil {
		return "", err
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return "", err
	}
	rsaKey, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return "", errors.New("no RSA key")
	}
	wrapped, err := rsa.EncryptPKCS1v15(rand.Reader, rsaKey, []byte(key))
	return base64.StdEncoding.EncodeToString(wrapped), err
}

// AES-256-CBC with the key's characters as its bytes, the IV before the ciphertext.
func decrypt(payload, key string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(payload)
	if err != nil || len(raw) < 32 || len(raw)%aes.BlockSize != 0 {
		return "", errors.New("not encrypted")
	}
	block, err := aes.NewCipher([]byte(key))
	if err != nil {
		return "", err
	}
	plain := raw[16:]
	cipher.NewCBCDecrypter(block, raw[:16]).CryptBlocks(plain, plain)
	padding := int(plain[len(plain)-1])
	if padding < 1 || padding > aes.BlockSize ||
		!bytes.HasSuffix(plain, bytes.Repeat([]byte{byte(padding)}, padding)) {
		return "", errors.New("can't be decrypted")
	}
	return string(plain[:len(plain)-padding]), nil
}

// The field as a string; empty where it is missing or something else.
func text(fields object, name string) string {
	value, _ := fields[name].(string)
	return value
}

func env(name, otherwise string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return otherwise
}

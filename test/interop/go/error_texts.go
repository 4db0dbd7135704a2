package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"net"
	"database/sql"
)

func of(situation string, mistake func() error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s\t%v\n", situation, r)
		}
	}()
	if err := mistake(); err != nil {
		fmt.Printf("%s\t%v\n", situation, err)
	} else {
		fmt.Printf("%s\tNOTHING\n", situation)
	}
}

func main() {
	key := []byte("0123456789abcdef0123456789abcdef")
	block, _ := aes.NewCipher(key)
	out := make([]byte, 64)
	of("key-bytes", func() error { _, err := aes.NewCipher(key[:20]); return err })
	of("block-length", func() error { cipher.NewCBCDecrypter(block, key[:16]).CryptBlocks(out, make([]byte, 20)); return nil })
	of("iv-bytes", func() error { cipher.NewCBCDecrypter(block, key).CryptBlocks(out, make([]byte, 20)); return nil })
	gcm, _ := cipher.NewGCM(block)
	of("tag-refused", func() error { _, err := gcm.Open(nil, key[:12], make([]byte, 40), nil); return err })
	of("iv-bytes", func() error { _, err := gcm.Open(nil, key[:16], make([]byte, 40), nil); return err })
	of("not-base64-text", func() error { _, err := base64.StdEncoding.DecodeString("ab-_"); return err })
	of("not-hex-text", func() error { _, err := hex.DecodeString("zz"); return err })
	var v struct{ A string }
	of("not-json-text", func() error { return json.Unmarshal([]byte(""), &v) })
	of("not-json-text", func() error { return json.Unmarshal([]byte("{\"a\":1}\x05"), &v) })
	of("text-for-bytes", func() error { return json.Unmarshal([]byte("{\"a\":1}"), &v) })
	of("not-json-text", func() error { return json.Unmarshal([]byte("{\"a\":\"\x01\"}"), &v) })
	of("field-unknown", func() error { d := json.NewDecoder(strings.NewReader(`{"b":"1"}`)); d.DisallowUnknownFields(); return d.Decode(&v) })
	of("value-missing", func() error { var u *struct{ Key string }; _ = u.Key; return nil })
	k, _ := rsa.GenerateKey(rand.Reader, 2048)
	of("rsa-failed", func() error { _, err := rsa.DecryptPKCS1v15(rand.Reader, k, make([]byte, 256)); return err })
	of("rsa-failed", func() error { _, err := rsa.EncryptPKCS1v15(rand.Reader, &k.PublicKey, make([]byte, 300)); return err })
	of("public-key-unreadable", func() error { _, err := x509.ParsePKIXPublicKey(make([]byte, 20)); return err })
	of("public-key-unreadable", func() error { _, err := x509.ParsePKIXPublicKey(x509.MarshalPKCS1PublicKey(&k.PublicKey)); return err })
	of("payload-short", func() error { b := make([]byte, 8); n := 16; _ = b[:n]; return nil })
	of("payload-short", func() error { b := make([]byte, 0); n := -1; _ = b[len(b)+n]; return nil })
	of("database-down", func() error { _, err := net.Dial("tcp", "127.0.0.1:1"); return err })
	of("user-unknown", func() error { return sql.ErrNoRows })
}

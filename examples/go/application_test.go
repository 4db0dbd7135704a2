// Tests of the application with go test. authcli plays the service: it is started here, and ended.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var service, application string

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "application-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	// Settings and users of authcli that are only of these tests.
	os.Setenv("AUTHCLI_CONFIG", filepath.Join(folder, "config.json"))
	emulator := authcli("emulate", "service", "--json")
	if service, err = start(emulator); err != nil {
		panic(err)
	}
	defer end(emulator)
	authURL = service
	server := httptest.NewServer(routes())
	defer server.Close()
	application = server.URL
	return m.Run()
}

func TestCallbacksConform(t *testing.T) {
	printed, err := authcli("verify", "--url", application+"/callback").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
}

func TestSignsInWithOneCallToEachEndpoint(t *testing.T) {
	signUp(t, "alice")
	status, response := askToSignIn(t, "alice")
	if status != 200 || response["ptn_cd"] != "alice" {
		t.Fatal(status, response)
	}
	expected := []string{"token 0000", "authenticate 0000"}
	if got := calls(t, "alice"); !reflect.DeepEqual(got, expected) {
		t.Fatal(got)
	}
}

func TestRefusesAnotherPasscode(t *testing.T) {
	signUp(t, "bob")
	post(t, service+"/_authcli/faults", object{"name": "wrong-passcode", "ptn_cd": "bob"})
	if status, response := askToSignIn(t, "bob"); status != 401 {
		t.Fatal(status, response)
	}
}

func signUp(t *testing.T, ptnCd string) {
	t.Helper()
	fields := object{"ptn_cd": ptnCd, "callback_url": application + "/callback"}
	if status, response := post(t, service+"/_authcli/signup", fields); status != 200 {
		t.Fatal(status, response)
	}
}

// Asks the application to sign the user in, with a token like one of the user's device.
func askToSignIn(t *testing.T, ptnCd string) (int, object) {
	t.Helper()
	_, token := post(t, service+"/_authcli/ptn-token", object{"ptn_cd": ptnCd})
	return post(t, application+"/sign-in", object{"ptn_token": token["ptn_token"]})
}

// What the service received for the user, and the codes that it responded with.
func calls(t *testing.T, ptnCd string) (calls []string) {
	t.Helper()
	response, err := http.Get(service + "/_authcli/journal?ptn_cd=" + ptnCd)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var journal struct {
		Entries []struct{ Operation, Code string }
	}
	if err := json.NewDecoder(response.Body).Decode(&journal); err != nil {
		t.Fatal(err)
	}
	for _, entry := range journal.Entries {
		calls = append(calls, entry.Operation+" "+entry.Code)
	}
	return calls
}

// The status of the response, and its JSON.
func post(t *testing.T, url string, fields object) (int, object) {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var parsed object
	if err := json.NewDecoder(response.Body).Decode(&parsed); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, parsed
}

func authcli(arguments ...string) *exec.Cmd {
	command := append(strings.Fields(env("AUTHCLI", "authcli")), arguments...)
	return exec.Command(command[0], command[1:]...)
}

// Starts a command whose first line is JSON with its address; returns that address.
func start(command *exec.Cmd) (string, error) {
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	lines := bufio.NewReader(output)
	line, _ := lines.ReadBytes('\n')
	var ready struct{ URL string }
	if json.Unmarshal(line, &ready) != nil || ready.URL == "" {
		return "", fmt.Errorf("%v did not start", command)
	}
	go io.Copy(io.Discard, lines) // so that it can print more
	return ready.URL, nil
}

func end(command *exec.Cmd) {
	command.Process.Signal(os.Interrupt)
	command.Wait()
}

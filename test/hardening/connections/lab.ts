import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import {
  type CertificateOptions,
  type Identity,
  makeCertificate,
} from '../../support/certificates.ts';
import { okResponse, startFaultServer, type TestServer } from '../../support/fault-server.ts';
import { type ProxyBehaviour, startProxy } from '../../support/proxy.ts';
import { run } from '../../support/run.ts';
import { runProcess } from '../hostile/ended.ts';

/** One way of connecting; it passes if it doesn't reject. */
export interface ConnectionCase {
  readonly name: string;
  readonly run: (lab: Lab) => Promise<void>;
}

/** What became of a command. */
export interface Asked {
  readonly status: number | null;
  readonly stderr: string;
  /** `error.code` of the JSON document. */
  readonly code?: string;
}

/** The secret that every request carries in its body. */
export const secretKey = 'Geheim-Schluessel-der-Anwendung-4711';

/** The response of a service to a token request. */
export const tokenResponse = JSON.stringify({
  code: '0000',
  message: '',
  result: { acs_token: 'acs-1', expire_dt: '20300102030405', ptn_cd: 'user-1' },
});

/** Servers, proxies and files for the cases, all of them gone after `close`. */
export class Lab {
  readonly folder = mkdtempSync(join(tmpdir(), 'authcli-connections-'));
  readonly authority = makeCertificate({ commonName: 'authority', isAuthority: true });
  readonly other = makeCertificate({ commonName: 'another authority', isAuthority: true });
  readonly ca = this.file('ca.pem', this.authority.cert);
  readonly otherCa = this.file('other-ca.pem', this.other.cert);
  readonly identity = this.issue();
  readonly #servers: TestServer[] = [];
  #files = 0;

  /** A certificate of the authority, for localhost by default. */
  issue(options: CertificateOptions = {}): Identity {
    return makeCertificate({ issuer: this.authority, ...options });
  }

  /** A file with that text; its path. */
  file(name: string, text: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  /** A certificate and its key as the arguments of a client. */
  clientArguments({ cert, key }: Identity): readonly string[] {
    this.#files += 1;
    const name = `client-${this.#files}`;
    const files = [this.file(`${name}.pem`, cert), this.file(`${name}.key`, key)];
    return ['--cert', files[0] ?? '', '--cert-key', files[1] ?? ''];
  }

  /** A service that responds to every request; with TLS if asked for. */
  async target(
    tls?: TlsOptions,
    response: string | Uint8Array = okResponse(tokenResponse),
    address?: string,
  ): Promise<TestServer> {
    const server = await startFaultServer(
      async (line) => {
        for (;;) {
          await line.request();
          line.send(response);
        }
      },
      tls,
      address,
    );
    return this.#keep(server);
  }

  /** The same, with the certificate of the authority. */
  secureTarget(options: TlsOptions = {}): Promise<TestServer> {
    return this.target({ ...this.identity, ...options });
  }

  async proxy(behaviour?: ProxyBehaviour): Promise<TestServer> {
    return this.#keep(await startProxy(behaviour));
  }

  #keep(server: TestServer): TestServer {
    this.#servers.push(server);
    return server;
  }

  /** Asks the service at `url` for a token, in this process. */
  async ask(
    url: URL | string,
    argv: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Asked> {
    const environment = { configFile: join(this.folder, 'config.json'), env };
    const { status, stdout, stderr } = await run(this.#token(url, argv), environment);
    return { status, stderr, code: codeIn(stdout) };
  }

  /** The same, with the installed program. */
  async askProcess(
    url: URL | string,
    argv: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Asked> {
    const config = { AUTHCLI_CONFIG: join(this.folder, 'config.json') };
    const ended = await runProcess(this.#token(url, argv), { ...config, ...env });
    const stderr = Buffer.from(ended.stderr).toString();
    return { status: ended.status, stderr, code: codeIn(Buffer.from(ended.stdout).toString()) };
  }

  #token(url: URL | string, argv: readonly string[]): readonly string[] {
    const account = ['--client-id', 'shop', '--secret-key', secretKey, '--ptn-token', 'pt-1'];
    return ['token', '--auth-url', String(url), ...account, '--json', '--timeout', '20s', ...argv];
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function codeIn(stdout: string): string | undefined {
  return (JSON.parse(stdout) as { error?: { code: string } }).error?.code;
}

/** The origin of a server under another host. */
export function at(host: string, { port, url }: TestServer): string {
  return `${url.protocol}//${host}:${port}`;
}

/** Everything that a server received, as Latin-1. */
export function seenBy(server: TestServer): string {
  return Buffer.concat(server.received).toString('latin1');
}

/** What a program prints; rejects where it fails. */
export function output(command: string, argv: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, argv, { timeout: 30_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command}: ${error.message} ${stderr}`));
    });
  });
}

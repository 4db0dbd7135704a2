import type { EmulatorRequest } from './http.ts';

/** The paths that steer the emulator begin so; the interface uses none of them. */
export const controlPrefix = '/_authcli/';

/**
 * Why a control request is not answered; undefined where it may be. Control paths show journals and
 * switch faults, so they are for programs on this machine only:
 *
 * - the peer's address is loopback
 * - there is no `Origin` header, which browsers add to what a page of another site sends
 * - the `Host` header is an IP address or `localhost`: a page whose own name was made to point here
 *   (DNS rebinding) is of the same origin and sends no `Origin`
 */
export function refusedAccess({ peer, headers }: EmulatorRequest): string | undefined {
  if (peer === undefined || !isLoopback(peer)) {
    return `${controlPrefix} answers only to this machine (loopback).`;
  }
  if (headers.origin !== undefined) return `${controlPrefix} does not answer to web pages.`;
  if (!isAddressOrLocalhost(headers.host ?? '')) {
    return `${controlPrefix} answers only when it is addressed by IP address or as localhost.`;
  }
  return undefined;
}

/** Whether an IP address is 127.0.0.0/8, also as an IPv4-mapped IPv6 address, or ::1. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address);
}

function isAddressOrLocalhost(host: string): boolean {
  return /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?$/i.test(host);
}

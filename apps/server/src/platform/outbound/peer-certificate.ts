import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { tlsOptions } from './guarded-connector.ts';

export interface PeerCertificate {
  issuer: string;
  /** UTC seconds. */
  validUntil: number;
  /** True if a root that this machine trusts issued it, and it is valid for the host. */
  trusted: boolean;
}

/** Performs the TLS handshake and closes the connection. @throws Error without TLS, or when the signal aborts */
export function readPeerCertificate(socket: Duplex, host: string, signal: AbortSignal): Promise<PeerCertificate> {
  return new Promise<PeerCertificate>((resolve, reject) => {
    const secured = connect({
      ...tlsOptions,
      socket,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      host,
      // Invalid certificates are reported, not refused.
      rejectUnauthorized: false,
    });
    const giveUp = (): void => void secured.destroy(new Error('The TLS handshake was aborted'));
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    secured.once('error', reject);
    secured.once('close', () => {
      signal.removeEventListener('abort', giveUp);
      reject(new Error('The connection ended before the TLS handshake'));
    });
    secured.once('secureConnect', () => {
      const { issuer, valid_to } = secured.getPeerCertificate();
      resolve({
        issuer: formatCertificateName(issuer?.O) || formatCertificateName(issuer?.CN),
        validUntil: Math.floor(Date.parse(valid_to) / 1000),
        trusted: secured.authorized,
      });
      secured.destroy();
    });
  });
}

/** Returns a name of the untrusted certificate, truncated to 200 characters. */
function formatCertificateName(name: string | string[] | undefined): string {
  return [name ?? ''].flat().join(' ').slice(0, 200);
}

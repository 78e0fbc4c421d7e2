import type { CertificateProblem } from '@switchyard/contract/operations/system-info';

/** What a host that channels call showed when it was last asked. */
export interface HostCertificateTable {
  /** With its port, unless that is 443; the whole origin where it is not HTTPS. */
  host: string;
  problem: CertificateProblem;
  issuer: string;
  /** UTC seconds. */
  valid_until: number | null;
  checked_time: number;
}

import type { CertificateProblem } from '@switchyard/contract/operations/system-info';

/** Certificate of a host that channels call, as last checked. */
export interface HostCertificateTable {
  /** Host with its port, unless it is 443; the whole origin if it is not HTTPS. */
  host: string;
  problem: CertificateProblem;
  issuer: string;
  /** UTC seconds. */
  valid_until: number | null;
  checked_time: number;
}

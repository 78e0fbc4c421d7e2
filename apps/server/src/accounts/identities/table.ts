/** Third-party identity for sign-in. Provider, issuer and subject together are the only key. */
export interface IdentityTable {
  provider: string;
  issuer: string;
  subject: string;
  user_id: number;
  /** Name of this person at the provider; for display only. */
  label: string;
  created_time: number;
}

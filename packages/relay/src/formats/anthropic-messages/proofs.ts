import type { Proof } from '../../proof.ts';

/** What Anthropic's proofs are unless they say otherwise. */
export const signed: Omit<Proof, 'value'> = { origin: 'anthropic-messages', kind: 'signature' };
export const redacted: Omit<Proof, 'value'> = { origin: 'anthropic-messages', kind: 'redacted' };

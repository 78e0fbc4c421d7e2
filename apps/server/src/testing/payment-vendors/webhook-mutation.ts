import type { SentWebhook } from './scripted-provider.ts';

/** Mutation of an authentic webhook. */
export interface WebhookMutation {
  name: string;
  webhook: SentWebhook;
  /** Reason for which its meaning is unchanged. */
  harmless?: string;
}

import type { SentWebhook } from './scripted-provider.ts';

/** Something that somebody made of a true notice. */
export interface WebhookMutation {
  name: string;
  webhook: SentWebhook;
  /** Why it is the same notice still. */
  harmless?: string;
}

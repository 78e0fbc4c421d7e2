import type { Language } from '@switchyard/contract/accounts/account';
import type { MailState } from '@switchyard/contract/operations/mail';
import type { TemplateName } from './render-mail.ts';

/** A mail that waits, or failed; once it is sent its row is gone. */
export interface MailTable {
  id: string;
  created_time: number;
  recipient: string;
  template: TemplateName;
  /** Values of the template as JSON: links and codes, which are secrets. Empty once it failed. */
  values_sealed: string;
  language: Language;
  /** Attempts that have begun. */
  tries: number;
  next_try_time: number;
  /** UTC seconds; not sent any more from then on. */
  expires_time: number;
  last_error: string;
  state: MailState;
}

import type { Language } from '@switchyard/contract/accounts/account-fields';
import type { MailState } from '@switchyard/contract/operations/mail';
import type { TemplateName } from './render-mail.ts';

/** Mail that waits, or failed; the row of a sent mail is deleted. */
export interface MailTable {
  id: string;
  created_time: number;
  recipient: string;
  template: TemplateName;
  /** Values of the template as sealed JSON: links and codes are secrets. Empty after a failure. */
  values_sealed: string;
  language: Language;
  /** Number of attempts begun. */
  tries: number;
  next_try_time: number;
  /** UTC seconds after which it is no longer sent. */
  expires_time: number;
  last_error: string;
  state: MailState;
}

/** Waiting and failed mails, and a test of the mail settings. Contents never leave the server. */
import { z } from 'zod';
import { listQuery, paged, routes } from '../route.ts';

/** Single address without a display name. */
export const mailAddress = z.email().max(254);

export const mailState = z.enum(['waiting', 'failed']);
export type MailState = z.output<typeof mailState>;

export const mailEntry = z.object({
  id: z.string(),
  to: z.string(),
  /** Template of the mail, for instance `password-reset`. */
  template: z.string(),
  state: mailState,
  tries: z.int(),
  created_time: z.int(),
  next_try_time: z.int(),
  last_error: z.string(),
});
export type MailEntry = z.output<typeof mailEntry>;

export const mail = routes({
  list: {
    method: 'GET',
    path: '/api/mail/',
    access: 'root',
    summary: 'List waiting and failed mails, without their contents',
    query: listQuery(['created_time', 'next_try_time', 'tries'], { state: mailState.optional() }),
    answer: paged(mailEntry),
  },
  test: {
    method: 'POST',
    path: '/api/mail/test',
    access: 'root',
    summary: 'Send a test mail now',
    body: z.object({ to: mailAddress }),
    answer: z.object({
      /** Response of the mail server when it accepted the mail. */
      response: z.string(),
    }),
  },
});

import { z } from 'zod';
import { assertion } from '../assertion.ts';
import { userId } from '../ids.ts';
import { points } from '../money.ts';
import { mailAddress } from '../operations/mail.ts';
import { nothing, routes } from '../route.ts';
import { accountFields, displayName, mailLanguage, password, seconds, username } from './account.ts';
import { right } from './permissions.ts';

/** Optional mails of a user, besides those about changes of the account itself. */
export const notices = z.object({
  /** Somebody signed in with a browser that was not seen before. */
  new_sign_in: z.boolean().default(true),
  low_balance: z.boolean().default(true),
  key_spent: z.boolean().default(true),
  order_paid: z.boolean().default(false),
  order_failed: z.boolean().default(false),
  order_refunded: z.boolean().default(true),
  /** Points below which a mail is sent; null: as the site has it. */
  low_balance_below: points.min(0).nullable().default(null),
});
export type Notices = z.output<typeof notices>;

/** The signed-in user's own account. */
export const self = z.object({
  ...accountFields,
  /** The mail address was proven to be the user's. */
  email_verified: z.boolean(),
  /** There is a password; accounts that came by another way have none. */
  has_password: z.boolean(),
  language: mailLanguage,
  notices,
  /** Rights of this account. */
  rights: z.array(right),
  /** Set while root acts as this user. */
  impersonation: z.object({ by: z.string(), seconds_left: z.int() }).nullable().default(null),
});
export type Self = z.output<typeof self>;

export const updateProfile = z.object({
  username: username.optional(),
  display_name: displayName.optional(),
  /** Needed when `password` is set and there is one already. */
  current_password: z.string().max(128).optional(),
  password: password.optional(),
  language: mailLanguage.optional(),
  notices: notices.optional(),
});

export const session = z.object({
  id: z.string(),
  created_time: seconds,
  last_seen_time: seconds,
  address: z.string(),
  device: z.string(),
  /** Sign-in method of the session. */
  method: z.string(),
  current: z.boolean(),
});

/** One of these; with a second factor the password alone is not enough. */
export const proof = z.object({
  password: z.string().max(128).optional(),
  /** Code of the authenticator app, or a recovery code. */
  code: z.string().trim().max(32).optional(),
  passkey: assertion.optional(),
});
export type Proof = z.output<typeof proof>;

const AVATAR_TEXT_MAX = 90_000;

export const profile = routes({
  get: { method: 'GET', path: '/api/user/self', access: 'user', summary: 'Own account', answer: self },
  update: {
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    summary: 'Changes own names, preferences or password; a new password ends all other sessions',
    body: updateProfile,
    answer: self,
  },
  remove: {
    method: 'DELETE',
    path: '/api/user/self',
    access: 'user',
    stepUp: true,
    summary: 'Deletes the own account; what is left of its balance is lost',
    answer: nothing,
  },
  export: {
    method: 'GET',
    path: '/api/user/export',
    access: 'user',
    impersonated: false,
    summary: 'Everything that is stored about the own account but its log, which has an export of its own',
    answer: z.string(),
    file: 'application/json',
  },
  setAvatar: {
    method: 'PUT',
    path: '/api/user/avatar',
    access: 'user',
    bodyMaxBytes: 2 * AVATAR_TEXT_MAX,
    summary: 'Sets the own picture: a PNG of at most 64 kB and 256 × 256, as base64; empty takes it away',
    body: z.object({ image: z.string().max(AVATAR_TEXT_MAX) }),
    answer: self,
  },
  avatar: {
    method: 'GET',
    path: '/api/user/avatar/:id',
    access: 'user',
    summary: "A user's picture",
    params: z.object({ id: userId }),
    answer: z.instanceof(Uint8Array),
    file: 'image/png',
  },
  bindEmail: {
    method: 'GET',
    path: '/api/oauth/email/bind',
    access: 'user',
    sameOrigin: true,
    stepUp: true,
    summary: 'Sets the own mail address, with the code that was mailed to it',
    query: z.object({ email: mailAddress, code: z.string().trim().max(16) }),
    answer: nothing,
  },
  stepUpWays: {
    method: 'GET',
    path: '/api/user/step_up',
    access: 'user',
    summary: 'By which proofs the own session can be confirmed',
    answer: z.object({ password: z.boolean(), code: z.boolean(), passkey: z.boolean() }),
  },
  stepUp: {
    method: 'POST',
    path: '/api/user/step_up',
    access: 'user',
    summary: 'Confirms who it is; unlocks sensitive actions of this session for ten minutes',
    body: proof,
    answer: nothing,
  },
  listSessions: {
    method: 'GET',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'Own sessions',
    answer: z.array(session),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    access: 'user',
    summary: 'Ends one of the own sessions',
    params: z.object({ id: z.string().max(64) }),
    answer: nothing,
  },
  endSessions: {
    method: 'DELETE',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'Ends all own sessions, this one too',
    answer: nothing,
  },
});

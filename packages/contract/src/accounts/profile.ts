import { z } from 'zod';
import { userId } from '../ids.ts';
import { points } from '../money.ts';
import { mailAddress } from '../operations/mail.ts';
import { emptyData, routes } from '../route.ts';
import { assertion } from '../webauthn-assertion.ts';
import { accountFields, displayName, mailLanguage, password, seconds, username } from './account-fields.ts';
import { right } from './permissions.ts';

/** Optional mails of a user, besides the mails about changes of the account itself. */
export const mailPreferences = z.object({
  /** Mail about a sign-in with a new browser. */
  new_sign_in: z.boolean().default(true),
  low_balance: z.boolean().default(true),
  key_spent: z.boolean().default(true),
  order_paid: z.boolean().default(false),
  order_failed: z.boolean().default(false),
  order_refunded: z.boolean().default(true),
  /** Balance in points below which a mail is sent; null: the site's value. */
  low_balance_below: points.min(0).nullable().default(null),
});
export type MailPreferences = z.output<typeof mailPreferences>;

const flag = z.boolean().optional();
/** Changed preferences; the others stay as they are. */
const mailPreferencesChange = z.object({
  new_sign_in: flag,
  low_balance: flag,
  key_spent: flag,
  order_paid: flag,
  order_failed: flag,
  order_refunded: flag,
  low_balance_below: mailPreferences.shape.low_balance_below.unwrap().optional(),
});

/** The signed-in user's own account. */
export const self = z.object({
  ...accountFields,
  /** True if the user has confirmed the mail address. */
  email_verified: z.boolean(),
  /** False for accounts that sign in by another method only. */
  has_password: z.boolean(),
  language: mailLanguage,
  notices: mailPreferences,
  rights: z.array(right),
  /** Set while root acts as this user. */
  impersonation: z.object({ by: z.string(), seconds_left: z.int() }).nullable().default(null),
});
export type Self = z.output<typeof self>;

export const updateProfile = z.object({
  username: username.optional(),
  display_name: displayName.optional(),
  /** Required when `password` is set and the account already has one. */
  current_password: z.string().max(128).optional(),
  password: password.optional(),
  language: mailLanguage.optional(),
  notices: mailPreferencesChange.optional(),
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

/** Proof of identity: one of these fields. A user with a second factor must prove more than the password. */
export const stepUpProof = z.object({
  password: z.string().max(128).optional(),
  /** Code of the authenticator app, or a recovery code. */
  code: z.string().trim().max(32).optional(),
  passkey: assertion.optional(),
});
export type StepUpProof = z.output<typeof stepUpProof>;

const AVATAR_TEXT_MAX = 90_000;

export const profile = routes({
  get: { method: 'GET', path: '/api/user/self', access: 'user', summary: 'Retrieve your account', answer: self },
  update: {
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    summary: 'Update your names, preferences or password; a new password ends all other sessions',
    body: updateProfile,
    answer: self,
  },
  remove: {
    method: 'DELETE',
    path: '/api/user/self',
    access: 'user',
    stepUp: true,
    summary: 'Delete your account; its remaining balance is lost',
    answer: emptyData,
  },
  export: {
    method: 'GET',
    path: '/api/user/export',
    access: 'user',
    impersonated: false,
    summary: 'Export all stored data about your account except its usage records, which have their own export',
    answer: z.string(),
    file: 'application/json',
  },
  setAvatar: {
    method: 'PUT',
    path: '/api/user/avatar',
    access: 'user',
    bodyMaxBytes: 2 * AVATAR_TEXT_MAX,
    summary: 'Set your avatar: a PNG of at most 64 kB and 256 × 256 pixels as base64; an empty value removes it',
    body: z.object({ image: z.string().max(AVATAR_TEXT_MAX) }),
    answer: self,
  },
  avatar: {
    method: 'GET',
    path: '/api/user/avatar/:id',
    access: 'user',
    summary: "Retrieve a user's avatar",
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
    summary: 'Set your email address, with the code that was sent to it',
    query: z.object({ email: mailAddress, code: z.string().trim().max(16) }),
    answer: emptyData,
  },
  stepUpWays: {
    method: 'GET',
    path: '/api/user/step_up',
    access: 'user',
    summary: 'List the methods with which your session can be confirmed',
    answer: z.object({ password: z.boolean(), code: z.boolean(), passkey: z.boolean() }),
  },
  stepUp: {
    method: 'POST',
    path: '/api/user/step_up',
    access: 'user',
    summary: 'Confirm your identity; unlocks sensitive actions of this session for ten minutes',
    body: stepUpProof,
    answer: emptyData,
  },
  listSessions: {
    method: 'GET',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'List your sessions',
    answer: z.array(session),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    access: 'user',
    summary: 'End one of your sessions',
    params: z.object({ id: z.string().max(64) }),
    answer: emptyData,
  },
  endSessions: {
    method: 'DELETE',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'End all your sessions, including this one',
    answer: emptyData,
  },
});

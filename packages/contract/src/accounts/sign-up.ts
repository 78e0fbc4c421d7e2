/** Account creation and password reset. */
import { z } from 'zod';
import { mailAddress } from '../operations/mail.ts';
import { emptyData, routes } from '../route.ts';
import { mailLanguage, password, username } from './account-fields.ts';

const turnstile = z.string().max(2048).optional();

export const register = z.object({
  username,
  password,
  /** Required while the site verifies mail addresses. */
  email: z.union([z.literal(''), mailAddress]).default(''),
  verification_code: z.string().trim().max(16).default(''),
  /** Invitation code of the inviter. */
  aff_code: z.string().trim().max(32).default(''),
  language: mailLanguage.default(''),
});

export const newPassword = z.object({ email: mailAddress, token: z.string().max(128), password });

export const signUp = routes({
  register: {
    method: 'POST',
    path: '/api/user/register',
    access: 'anyone',
    summary: 'Create an account',
    query: z.object({ turnstile }),
    body: register,
    answer: emptyData,
  },
  sendCode: {
    method: 'GET',
    path: '/api/verification',
    access: 'anyone',
    sameOrigin: true,
    summary: 'Send a code that verifies an email address; the response never reveals whether it has an account',
    query: z.object({ email: mailAddress, language: mailLanguage.default(''), turnstile }),
    answer: emptyData,
  },
  sendResetLink: {
    method: 'GET',
    path: '/api/reset_password',
    access: 'anyone',
    sameOrigin: true,
    summary: 'Send a password reset link if the address has an account; the response never reveals this',
    query: z.object({ email: mailAddress, turnstile }),
    answer: emptyData,
  },
  resetPassword: {
    method: 'POST',
    path: '/api/user/reset',
    access: 'anyone',
    summary: 'Reset the password; the link works once, and all sessions end',
    body: newPassword,
    answer: emptyData,
  },
  inviteCode: {
    method: 'GET',
    path: '/api/user/aff',
    access: 'user',
    sameOrigin: true,
    summary: 'Retrieve your invitation code; created at the first request',
    answer: z.string(),
  },
});

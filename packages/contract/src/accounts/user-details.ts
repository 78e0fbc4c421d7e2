/**
 * Details of one user for administrators, besides the account itself. Users of an equal or higher role are not visible.
 */
import { z } from 'zod';
import { userId } from '../ids.ts';
import { points } from '../money.ts';
import { emptyData, routes } from '../route.ts';
import { seconds } from './account-fields.ts';
import { identityProvider } from './identities.ts';
import { session } from './profile.ts';

export const ledgerKind = z.enum(['charge', 'top-up', 'refund', 'adjust', 'gift', 'key-limit', 'opening']);
export type LedgerKind = z.output<typeof ledgerKind>;

/** Ledger entry of a balance; never changed. */
export const balanceEntry = z.object({
  /** Identifier of the entry, and cursor of the next page. */
  id: z.string(),
  created_at: seconds,
  kind: ledgerKind,
  amount: points,
  balance_after: points,
  remark: z.string(),
  /** User who made the adjustment; null for automatic changes and deleted accounts. */
  by: z.object({ id: userId, username: z.string() }).nullable(),
});
export type BalanceEntry = z.output<typeof balanceEntry>;

/** Existence of each sign-in method, without any data that could be used to sign in. */
export const signInMethods = z.object({
  password: z.boolean(),
  email_verified: z.boolean(),
  identities: z.array(identityProvider),
  passkeys: z.int(),
  totp: z.boolean(),
  recovery_codes_left: z.int(),
});
export type SignInMethods = z.output<typeof signInMethods>;

const byId = z.object({ id: userId });

export const userDetails = routes({
  balanceHistory: {
    method: 'GET',
    path: '/api/user/:id/balance_history',
    access: 'users.read',
    summary: "List a user's ledger entries, newest first; `before` is the last ID of the previous page",
    params: byId,
    query: z.object({
      before: z.string().max(300).optional(),
      size: z.coerce.number().int().min(1).max(100).default(50),
      /** Includes charges for calls; the log has their details. */
      charges: z.stringbool().default(false),
    }),
    answer: z.object({ entries: z.array(balanceEntry), more: z.boolean() }),
  },
  signInWays: {
    method: 'GET',
    path: '/api/user/:id/sign_in_ways',
    access: 'users.read',
    summary: "List a user's sign-in methods",
    params: byId,
    answer: signInMethods,
  },
  sessions: {
    method: 'GET',
    path: '/api/user/:id/sessions',
    access: 'users.read',
    summary: "List a user's sessions",
    params: byId,
    answer: z.array(session.omit({ current: true })),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/user/:id/sessions/:session',
    access: 'users.write',
    summary: "End one of a user's sessions",
    params: byId.extend({ session: z.string().max(64) }),
    answer: emptyData,
  },
  endSessions: {
    method: 'DELETE',
    path: '/api/user/:id/sessions',
    access: 'users.write',
    summary: "End all of a user's sessions",
    params: byId,
    answer: emptyData,
  },
});

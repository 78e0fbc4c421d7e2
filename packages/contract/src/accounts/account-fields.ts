/** Account as its owner and administrators see it, and the validation rules of its fields. */
import { z } from 'zod';
import { userId } from '../ids.ts';
import { points } from '../money.ts';
import { role, userStatus } from '../wire-enums.ts';

/**
 * Excludes `@`, which would allow a name to equal another user's mail address, and invisible characters, which would
 * allow two names to look the same.
 */
export const username = z
  .string()
  .trim()
  .min(3)
  .max(32)
  .regex(/^[^@\s\p{Cc}\p{Cf}\p{Cs}]+$/u, 'Spaces, invisible characters and @ are not allowed');
export const password = z.string().min(8).max(128);
export const displayName = z.string().trim().max(32);
/** A moment in UTC seconds. */
export const seconds = z.int();
/** Expiry in UTC seconds until the year 9999, which refuses milliseconds; 0: never. */
export const expiry = seconds.min(0).max(253_402_300_799);

export const language = z.enum(['zh_CN', 'zh_HK', 'en_US', 'ja_JP']);
export type Language = z.output<typeof language>;
/** Language of the mails to an account; empty for the site's. */
export const mailLanguage = z.union([z.literal(''), language]);

/** Returns the supported language of the text, or undefined. */
export function parseLanguage(text: string): Language | undefined {
  return language.safeParse(text).data;
}

export const accountFields = {
  id: userId,
  username: z.string(),
  display_name: z.string(),
  email: z.string(),
  avatar_url: z.string(),
  role,
  status: userStatus,
  group: z.string(),
  quota: points,
  used_quota: points,
  request_count: z.int(),
  created_time: seconds,
  last_login_time: seconds,
};

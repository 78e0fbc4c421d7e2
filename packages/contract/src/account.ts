/** Rules for names and passwords that every form and route shares. */
import { z } from 'zod';

/** Without `@`, so that nobody can sign in under a name that is somebody else's mail address. */
export const username = z
  .string()
  .trim()
  .min(3)
  .max(32)
  .regex(/^[^@\s]+$/, 'Spaces and @ are not allowed');
export const password = z.string().min(8).max(128);
export const displayName = z.string().trim().max(32);
/** A moment in UTC seconds. */
export const seconds = z.int();

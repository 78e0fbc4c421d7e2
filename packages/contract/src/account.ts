/** Rules for names and passwords that every form and route shares. */
import { z } from 'zod';

export const username = z.string().trim().min(3).max(32);
export const password = z.string().min(8).max(128);
export const displayName = z.string().trim().max(32);
/** A moment in UTC seconds. */
export const seconds = z.int();

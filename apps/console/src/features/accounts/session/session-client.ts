import { profile, type Self, self } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Loaded when somebody signs in or is signed in: it brings the schema library with it. */
export const sessionClient = createClient({ ...profile, ...signIn }, send);

export function parseSelf(data: unknown): Self {
  return self.parse(data);
}

import { createClient } from '@switchyard/contract/client';
import { profile, type Self, self } from '@switchyard/contract/profile';
import { signIn } from '@switchyard/contract/sign-in';
import { send } from '../../api.ts';

/** Loaded when somebody signs in or is signed in: it brings the schema library with it. */
export const sessionClient = createClient({ ...profile, ...signIn }, send);

export function parseSelf(data: unknown): Self {
  return self.parse(data);
}

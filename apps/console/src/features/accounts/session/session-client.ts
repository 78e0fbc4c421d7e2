import { profile, type Self, self } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Client that is loaded on demand, because it imports the schema library. */
export const sessionClient = createClient({ ...profile, ...signIn }, send);

export function parseSelf(data: unknown): Self {
  return self.parse(data);
}

import type { SeenResponse, SignInProvidersScene } from '../../../apps/server/src/testing/identity-providers-scene.ts';
import { setOptions } from '../../../apps/server/src/testing/set-options.ts';

/** Attempt that must neither open a session nor link an identity. */
export interface HostileCase {
  name: string;
  /** Prepares the attempt and returns it; its response must be a refusal. */
  prepare: (scene: SignInProvidersScene) => Promise<() => Promise<SeenResponse>>;
}

let last = 5000;
/** Creates a new subject id. */
export const createSubject = (): string => String((last += 1));

/** Ends this browser's session as if it had been ended elsewhere. */
export function deleteSessions(scene: SignInProvidersScene, userId: number): Promise<unknown> {
  return scene.app.ctx.db.writer.deleteFrom('session').where('user_id', '=', userId).execute();
}

export function updateUserRow(
  scene: SignInProvidersScene,
  userId: number,
  change: { status?: 'disabled'; deleted_time?: number; email?: string; email_verified_time?: number },
): Promise<unknown> {
  return scene.app.ctx.db.writer.updateTable('user').set(change).where('id', '=', userId).execute();
}

/** @returns the id of the signed-in account */
export const getAccountId = ({ data }: SeenResponse): number => (data as { id: number }).id;

/** Before each case, all providers respond normally. */
export async function resetScene(scene: SignInProvidersScene): Promise<void> {
  for (const vendor of [scene.github, scene.oidc, scene.lark, scene.wechat]) vendor.resetReplies();
  await setOptions(scene.app.ctx, { RegisterEnabled: 'true', RegisterInviteOnlyEnabled: 'false' });
  // Clears the discovery cache.
  scene.app.clock.advance(3_601);
}

/** Avatars, limited to a size that the database can hold. */
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { fieldError, notFound } from '../../platform/http/app-error.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';

const BYTES_MAX = 65_536;
const PIXELS_MAX = 256;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @param image base64 of a PNG; empty to remove the avatar */
export async function setAvatar(ctx: Context, { userId }: Caller, image: string): Promise<void> {
  if (image === '') {
    await ctx.db.writer.deleteFrom('avatar').where('user_id', '=', userId).execute();
    await ctx.db.writer.updateTable('user').set({ avatar_url: '' }).where('id', '=', userId).execute();
    return;
  }
  const bytes = Buffer.from(image, 'base64');
  if (!isSmallPng(bytes)) throw fieldError('image', 'picture', 'The image must be a PNG of at most 64 kB');
  const row = { image: bytes, changed_time: nowSeconds(ctx.clock) };
  await ctx.db.writer
    .insertInto('avatar')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
}

/** @throws AppError `not-found`, also for another user's, unless the caller may see users */
export async function readAvatar(ctx: Context, caller: Caller, userId: number): Promise<Uint8Array<ArrayBuffer>> {
  if (userId !== caller.userId && !hasAccess(caller, 'users.read')) throw notFound('image');
  const row = await ctx.db.writer.selectFrom('avatar').select('image').where('user_id', '=', userId).executeTakeFirst();
  if (row === undefined) throw notFound('image');
  return new Uint8Array(row.image);
}

/** Returns whether the PNG header has a small size: https://www.w3.org/TR/png-3/#11IHDR */
function isSmallPng(bytes: Buffer): boolean {
  if (bytes.length < 33 || bytes.length > BYTES_MAX || !bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return false;
  return bytes.readUInt32BE(16) <= PIXELS_MAX && bytes.readUInt32BE(20) <= PIXELS_MAX;
}

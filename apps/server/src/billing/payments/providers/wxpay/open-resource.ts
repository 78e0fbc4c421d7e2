/** AEAD_AES_256_GCM with the APIv3 key: https://pay.weixin.qq.com/doc/v3/merchant/4012071382 */
import { createDecipheriv } from 'node:crypto';
import { z } from 'zod';

export const encryptedResource = z.object({
  algorithm: z.literal('AEAD_AES_256_GCM'),
  nonce: z.string(),
  associated_data: z.string().nullish(),
  ciphertext: z.string(),
});
export type EncryptedResource = z.output<typeof encryptedResource>;

const TAG_BYTES = 16;

/** Returns undefined when it was encrypted with another key, or was changed. */
export function decryptResource(
  { nonce, associated_data: bound, ciphertext }: EncryptedResource,
  key: Buffer,
): string | undefined {
  const bytes = Buffer.from(ciphertext, 'base64');
  if (bytes.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(bound ?? ''))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

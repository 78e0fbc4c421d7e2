import { randomBytes } from 'node:crypto';
import { openDatabase } from '../../db/open-database.ts';
import { appendEntry } from '../../operations/audit/audit.ts';
import { nowSeconds, systemClock } from '../../platform/clock.ts';
import { hashPassword } from '../../platform/secrets/password-hashing.ts';
import { type Command, openVault, readParameters, requireDatabase } from './command-and-database-access.ts';

/**
 * Tables of the account's credentials, which may be lost or belong to an intruder. A linked third-party account signs
 * in without the password.
 */
const signInTables = [
  'access_token',
  'session',
  'one_time',
  'totp',
  'recovery_code',
  'passkey',
  'identity',
  'known_device',
] as const;

/**
 * Sets a new password, and prints it once. It removes all other sign-in methods, and the mail address, which could
 * receive a reset link. Write access to the data folder is the authorization. May run beside the server.
 */
export const resetRootPasswordCommand: Command = {
  summary: 'sets a new password for the root account and ends its sessions',
  async run(config, parameters) {
    readParameters(parameters, {}, 0);
    const database = requireDatabase(config);
    const password = randomBytes(15).toString('base64url');
    const passwordHash = await hashPassword(password);
    const db = await openDatabase(database, { copyFirst: config.backupBeforeUpgrade });
    try {
      // Without the vault, the entry in the audit log could not be distinguished from a forged one.
      const vault = await openVault(config, db.writer);
      const root = await db.writer.transaction().execute(async (trx) => {
        const root = await trx
          .updateTable('user')
          .set({ password_hash: passwordHash, email: '', email_verified_time: null })
          .where('role', '=', 'root')
          .returning(['id', 'username'])
          .executeTakeFirst();
        if (root === undefined) return undefined;
        for (const table of signInTables) await trx.deleteFrom(table).where('user_id', '=', root.id).execute();
        await appendEntry(trx, vault, {
          created_at: nowSeconds(systemClock),
          user_id: null,
          action: 'cli.reset-root-password',
          target: `user:${root.id}`,
          detail: '{}',
          address: '',
          request_id: '',
        });
        return root;
      });
      if (root === undefined) throw new Error('There is no root account yet. Start the server to create it.');
      console.log(`New password of ${root.username}: ${password}`);
      return 0;
    } finally {
      await db.close();
    }
  },
};

/** `node check-ledger.ts <runs>`: exits with 0 if the ledger agrees with the model. */
import { checkRandomHistories } from './ledger-histories.ts';

await checkRandomHistories(Number(process.argv[2]));

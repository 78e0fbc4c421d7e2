/** `node check-ledger.ts <runs>`: ends with 0 when the ledger does what the model says. */
import { checkRandomHistories } from './ledger-histories.ts';

await checkRandomHistories(Number(process.argv[2]));

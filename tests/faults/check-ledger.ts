/** `node check-ledger.ts <runs>`: ends with 0 when the ledger does what the model says. */
import { checkHistories } from './ledger-model.ts';

await checkHistories(Number(process.argv[2]));

import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

export interface OldPassword {
  password: string;
  hash: string;
}

const { password, hash }: OldPassword = workerData;
parentPort?.postMessage(compareSync(password, hash));

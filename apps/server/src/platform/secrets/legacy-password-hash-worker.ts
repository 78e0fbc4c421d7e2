import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

export interface LegacyPasswordCheck {
  password: string;
  hash: string;
}

const { password, hash }: LegacyPasswordCheck = workerData;
parentPort?.postMessage(compareSync(password, hash));

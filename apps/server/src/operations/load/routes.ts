import type { load } from '@switchyard/contract/operations/load';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';

export const loadRoutes = ({ overload, ledger }: Context): Handlers<typeof load> => ({
  get: () => ({
    shedding: overload.shedding,
    running: ledger.openHolds,
    refused: overload.refused,
    delay: Math.round(overload.delayMs),
    memory: overload.memoryShare,
  }),
});

import { createClient } from '@switchyard/contract/client';
import { serviceTests, type TestedService } from '@switchyard/contract/operations/service-tests';
import { useMutation } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(serviceTests, send);

/** @returns the name that the service reports, or '' */
export function useTestService(service: TestedService) {
  return useMutation({ mutationFn: async () => (await api.run({ params: { service } })).name });
}

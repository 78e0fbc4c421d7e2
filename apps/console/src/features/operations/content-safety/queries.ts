import { createClient } from '@switchyard/contract/client';
import type { SafetyRuleId } from '@switchyard/contract/ids';
import { contentSafety, type SafetyRuleForm } from '@switchyard/contract/operations/content-safety';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(contentSafety, send);
const all = ['content-safety'] as const;

export const rulesQuery = queryOptions({ queryKey: all, queryFn: ({ signal }) => api.list({}, signal) });

/** Query for a rule with its words. */
export const ruleQuery = (id: SafetyRuleId) =>
  queryOptions({ queryKey: [...all, id], queryFn: ({ signal }) => api.get({ params: { id } }, signal) });

export const useSaveRule = () =>
  useListChange(all, ({ id, ...body }: SafetyRuleForm & { id: SafetyRuleId | undefined }) =>
    withStepUp(() => (id === undefined ? api.create({ body }) : api.update({ params: { id }, body }))),
  );

export const useRemoveRule = () => useListChange(all, (id: SafetyRuleId) => api.remove({ params: { id } }));

export const useTryText = () =>
  useMutation({ mutationFn: (body: RouteCall<typeof contentSafety.try>['body']) => api.try({ body }) });

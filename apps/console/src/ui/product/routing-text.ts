import type { Verdict } from '@switchyard/contract/usage/usage-records';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';
import { useCapabilityName } from './capability-name.ts';

/** Why a channel was, or was not, chosen. */
export function useRoutingDecisionText(): (verdict: Verdict) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const capabilityName = useCapabilityName();
  return ({ reason, until, lacks }) =>
    t(`verdict.${reason}`, { until: until > 0 ? format.moment(until) : '', lacks: capabilityName(lacks) });
}

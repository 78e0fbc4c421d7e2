import { capability } from '@switchyard/contract/channels/channels';
import type { Verdict } from '@switchyard/contract/usage/usage-records';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';

/** Returns a function that explains a routing decision. */
export function useRoutingDecisionText(): (verdict: Verdict) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const capabilityName = useCapabilityName();
  return ({ reason, until, lacks }) =>
    t(`verdict.${reason}`, { until: until > 0 ? format.moment(until) : '', lacks: capabilityName(lacks) });
}

const known = [...capability.options, 'operation'] as const;

/** Returns a function that names a capability that a channel lacks; an unknown one keeps its name. */
export function useCapabilityName(): (lacking: string) => string {
  const { t } = useTranslation();
  return (lacking) => {
    const name = known.find((candidate) => candidate === lacking);
    return name === undefined ? lacking : t(`capability.${name}`);
  };
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Rates } from '@switchyard/contract/catalog/price-rates';
import type { Price, PriceVersion } from '@switchyard/contract/catalog/prices';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { FoldedSection } from '../../../../ui/form/form-layout.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { usePriceActions } from '../list/use-price-actions.ts';
import { versionsQuery } from '../queries.ts';
import { type PriceType, rateToUsd } from './rate-units.ts';

/** Lists the versions of a price and can restore one. */
export function PriceHistory({ price, onRestored }: { price: Price; onRestored: () => void }) {
  const { t } = useTranslation('prices');
  const { data, error, refetch } = useQuery(versionsQuery(price.model));
  const { restore } = usePriceActions();
  return (
    <FoldedSection title={t('history')} changed={0}>
      {data === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={80} />
      ) : (
        <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 1.5, fontSize: '0.8125rem' }}>
          {data.map((version, at) => (
            <Version
              key={version.version}
              version={version}
              before={data[at + 1]}
              current={version.version === price.version}
              onRestore={async () => {
                await restore(price, version);
                onRestored();
              }}
            />
          ))}
        </Box>
      )}
    </FoldedSection>
  );
}

interface VersionProps {
  version: PriceVersion;
  /** Version that this one replaced. */
  before: PriceVersion | undefined;
  current: boolean;
  onRestore: () => Promise<void>;
}

function Version({ version, before, current, onRestore }: VersionProps) {
  const { t } = useTranslation('prices');
  const changes = before === undefined ? [] : changesOfVersions(before, version);
  return (
    <Box component="li" sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
      <Box sx={{ flexGrow: 1, minWidth: 0, display: 'grid', gap: 0.5 }}>
        <Box sx={{ color: 'text.secondary' }}>
          <Moment seconds={version.created_at} /> {current && `· ${t('currentVersion')}`}
        </Box>
        {before === undefined && <Box>{t('firstVersion')}</Box>}
        {before !== undefined && changes.length === 0 && <Box>{t('sameRates')}</Box>}
        {changes.map((change) => (
          <ChangeLine key={JSON.stringify(change)} change={change} />
        ))}
      </Box>
      {!current && (
        <Button size="small" color="inherit" onClick={() => void onRestore()}>
          {t('restore')}
        </Button>
      )}
    </Box>
  );
}

function ChangeLine({ change }: { change: PriceChange }) {
  const { t } = useTranslation('prices');
  const { exactUsd, number } = useFormat();
  const usd = (amount: number | null) => (amount === null ? t('noOwnRate') : exactUsd(amount));
  const sentence = (): string => {
    switch (change.what) {
      case 'type':
        return `${t('chargedBy')}: ${t(`typeName.${change.from}`)} → ${t(`typeName.${change.to}`)}`;
      case 'image':
        return `${t('kind.image')} ${change.variant}: ${usd(change.from)} → ${usd(change.to)}`;
      case 'rate': {
        const { kind, above, from, to } = change;
        const name = kind === 'input' || kind === 'output' ? t(kind) : t(`kind.${kind}`);
        const of = above === 0 ? name : `${name}, ${t('above', { tokens: number(above) })}`;
        return `${of}: ${usd(from)} → ${usd(to)}`;
      }
    }
  };
  return <Box sx={{ fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere' }}>{sentence()}</Box>;
}

/** Amounts in USD; null where there is no own rate. */
interface Amounts {
  from: number | null;
  to: number | null;
}

type PriceChange =
  | { what: 'type'; from: PriceType; to: PriceType }
  /** `above` is the prompt size in tokens above which the rate applies. */
  | ({ what: 'rate'; kind: keyof Rates; above: number } & Amounts)
  | ({ what: 'image'; variant: string } & Amounts);

export function changesOfVersions(before: PriceVersion, after: PriceVersion): PriceChange[] {
  const changes: PriceChange[] = [];
  if (before.type !== after.type) changes.push({ what: 'type', from: before.type, to: after.type });
  const stages = new Set([...before.tiers, ...after.tiers].map(({ above }) => above));
  for (const above of [0, ...[...stages].toSorted((one, other) => one - other)])
    changes.push(...rateChanges(before, after, above));
  for (const variant of new Set([...Object.keys(before.image_rates), ...Object.keys(after.image_rates)])) {
    const amount = ({ type, image_rates }: PriceVersion) =>
      image_rates[variant] === undefined ? null : rateToUsd(type, image_rates[variant], 'image');
    const [from, to] = [amount(before), amount(after)];
    if (from !== to) changes.push({ what: 'image', variant, from, to });
  }
  return changes;
}

function rateChanges(before: PriceVersion, after: PriceVersion, above: number): PriceChange[] {
  const [old, young] = [usdRates(before, above), usdRates(after, above)];
  const kinds = new Set([...old.keys(), ...young.keys()]);
  return [...kinds].flatMap((kind): PriceChange[] => {
    const [from, to] = [old.get(kind) ?? null, young.get(kind) ?? null];
    return from === to ? [] : [{ what: 'rate', kind, above, from, to }];
  });
}

/** Returns only the rates that are set, in USD. */
function usdRates({ type, rates, tiers }: PriceVersion, above: number): Map<keyof Rates, number> {
  const own = above === 0 ? rates : tiers.find((tier) => tier.above === above)?.rates;
  const entries = Object.entries(own ?? {}) as [keyof Rates, number | null][];
  return new Map(
    entries.flatMap(([kind, rate]) =>
      rate === null ? [] : [[kind, rateToUsd(type, rate, kind)] as [keyof Rates, number]],
    ),
  );
}

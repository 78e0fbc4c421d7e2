import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import type { UsageRecordDetail } from '@switchyard/contract/usage/usage-records';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useGroupName } from '../../accounts/user-groups/queries.ts';
import { type ChargeFormula, chargeFormula, unitOf, unitPrice } from './charge-formula.ts';

type Receipt = NonNullable<UsageRecordDetail['receipt']>;

/** Shows the charge step by step: quantities × unit prices, sum, ratios and rounding. */
export function RecordReceipt({ receipt, group }: { receipt: Receipt; group: string }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const formula = chargeFormula(receipt);
  return (
    <Box sx={{ display: 'grid', gap: 1, fontSize: '0.8125rem', fontVariantNumeric: 'tabular-nums' }}>
      {receipt.capped && <Alert severity="warning">{t('capped')}</Alert>}
      {receipt.tier_above !== null && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('tierApplied', { tokens: format.number(receipt.tier_above) })}
        </Typography>
      )}
      <Box component="table" sx={table}>
        <thead>
          <tr>
            <th scope="col">{t('counterHead')}</th>
            <th scope="col">{t('quantity')}</th>
            <th scope="col">{t('rateHead')}</th>
            <th scope="col">{t('pointsHead')}</th>
          </tr>
        </thead>
        <LineRows formula={formula} />
        <SumRows formula={formula} group={group} />
      </Box>
      <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
        {t('priceEntry')} <Mono>{receipt.price_model}</Mono>
        {receipt.price_version !== null && ` · ${t('priceVersion', { version: receipt.price_version })}`}
        {' · '}
        {t('pointWorth', { count: POINTS_PER_USD, points: format.number(POINTS_PER_USD), usd: format.usd(1) })}
      </Typography>
    </Box>
  );
}

function LineRows({ formula }: { formula: ChargeFormula }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const counterName = useCounterName();
  const priceOf = (counter: string, rate: number): string => {
    const unit = unitOf(counter);
    const price = format.exactUsd(unitPrice(counter, rate));
    return unit === 'million' ? t('perMillion', { price }) : t(`perUnit.${unit}`, { price });
  };
  return (
    <tbody>
      {formula.lines.map(({ counter, model, variant, quantity, rate, amount }) => (
        <tr key={`${model} ${counter} ${variant} ${rate}`}>
          <td>
            {counterName(counter)}
            {[variant, model]
              .filter((name) => name !== '')
              .map((name) => (
                <Fragment key={name}>
                  {' '}
                  <Mono>{name}</Mono>
                </Fragment>
              ))}
          </td>
          <td>{format.number(quantity)}</td>
          <td>{priceOf(counter, rate)}</td>
          <td>{amount}</td>
        </tr>
      ))}
    </tbody>
  );
}

function SumRows({ formula, group }: { formula: ChargeFormula; group: string }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const groupName = useGroupName();
  const total = t('points', { count: formula.total, points: format.number(formula.total) });
  const rows: [string, string][] = [
    [t('sum'), formula.sum],
    [t('groupRatio', { group: groupName(group) }), `× ${formula.groupRatio}`],
    ...(formula.tokenRatio === undefined
      ? []
      : [[t('tokenRatio'), `× ${formula.tokenRatio}`] satisfies [string, string]]),
    ...(formula.batchRatio === undefined
      ? []
      : [
          [t(formula.hasUndiscounted ? 'batchRatioWithoutTools' : 'batchRatio'), `× ${formula.batchRatio}`] satisfies [
            string,
            string,
          ],
        ]),
    [t('inPoints'), `= ${formula.points}`],
    [
      t(formula.rounded ? 'chargedRounded' : 'charged'),
      `${total} = ${format.exactUsd(formula.total / POINTS_PER_USD)}`,
    ],
  ];
  return (
    <tfoot>
      {rows.map(([name, value]) => (
        <tr key={name}>
          <td colSpan={2}>{name}</td>
          <td colSpan={2}>{value}</td>
        </tr>
      ))}
    </tfoot>
  );
}

/** Table style. On a phone names wrap instead of widening the table; numbers never wrap. */
const table = {
  width: '100%',
  borderCollapse: 'collapse',
  '& th': { fontWeight: 400, color: 'text.secondary', textAlign: 'end', p: 0, pb: 0.5 },
  '& th:first-of-type, & td:first-of-type': { textAlign: 'start' },
  '& td': {
    textAlign: 'end',
    wordBreak: 'keep-all',
    py: 0.5,
    borderTop: 1,
    borderColor: 'divider',
    pl: { xs: 1, sm: 1.5 },
  },
  '& td:first-of-type': { pl: 0, overflowWrap: 'anywhere' },
  '& tbody td:last-of-type': { whiteSpace: 'nowrap' },
  '& tfoot tr:last-of-type td': { fontWeight: 600 },
} as const;

const known = [
  'input',
  'cachedRead',
  'cachedAudioInput',
  'cachedImageInput',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
  'call',
  'webSearch',
  'mapsGrounding',
  'fileSearch',
  'search',
  'codeExecution',
  'image',
  'second',
  'character',
] as const;

/** Returns a function that names a receipt's counter; an unknown counter keeps its name. */
function useCounterName(): (counter: string) => string {
  const { t } = useTranslation('usage-records');
  return (counter) => {
    const name = known.find((candidate) => candidate === counter);
    return name === undefined ? counter : t(`counter.${name}`);
  };
}

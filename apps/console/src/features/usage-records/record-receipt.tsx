import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import type { UsageRecordDetail } from '@switchyard/contract/usage-records';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../ui/mono.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { useGroups } from '../user-groups/queries.ts';
import { chargeFormula, usdPerMillion } from './charge-formula.ts';
import { useCounterName } from './counter-name.ts';

type Receipt = NonNullable<UsageRecordDetail['receipt']>;

/** Counters × rates, their sum, the group's ratio, the rounding: the charge, calculated again by hand. */
export function RecordReceipt({ receipt, group }: { receipt: Receipt; group: string }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const groupName = useGroups()?.[group]?.name ?? group;
  const formula = chargeFormula(receipt);
  const total = t('points', { count: formula.total, points: format.number(formula.total) });
  return (
    <Box sx={{ display: 'grid', gap: 1, fontSize: '0.8125rem', fontVariantNumeric: 'tabular-nums' }}>
      <Box sx={{ overflowX: 'auto' }}>
        <Box
          component="table"
          sx={{
            width: '100%',
            borderCollapse: 'collapse',
            '& th': { fontWeight: 400, color: 'text.secondary', textAlign: 'end', p: 0, pb: 0.5 },
            '& th:first-of-type, & td:first-of-type': { textAlign: 'start' },
            '& td': { textAlign: 'end', py: 0.5, borderTop: 1, borderColor: 'divider', pl: 1.5 },
            '& td:first-of-type': { pl: 0 },
            '& td:not(:first-of-type)': { whiteSpace: 'nowrap' },
            '& tfoot td': { fontWeight: 500 },
          }}
        >
          <thead>
            <tr>
              <th scope="col">{t('counterHead')}</th>
              <th scope="col">{t('quantity')}</th>
              <th scope="col">{t('rateHead')}</th>
              <th scope="col">{t('pointsHead')}</th>
            </tr>
          </thead>
          <LineRows formula={formula} perCall={receipt.price_type === 'times'} />
          <tfoot>
            <tr>
              <td colSpan={3}>{t('sum')}</td>
              <td>{formula.sum}</td>
            </tr>
            <tr>
              <td colSpan={3}>{t('groupRatio', { group: groupName })}</td>
              <td>× {formula.ratio}</td>
            </tr>
            <tr>
              <td colSpan={3}>{t(formula.rounded ? 'chargedRounded' : 'charged')}</td>
              <td>
                {total} = {format.points(formula.total)}
              </td>
            </tr>
          </tfoot>
        </Box>
      </Box>
      <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
        {`${formula.sum} × ${formula.ratio} = ${formula.product}`}
        {formula.rounded && ` → ${total}`}
        {' · '}
        {t('priceEntry')} <Mono>{receipt.price_model}</Mono>
        {' · '}
        {t('pointWorth', {
          count: POINTS_PER_USD,
          points: format.number(POINTS_PER_USD),
          usd: format.usd(1),
        })}
      </Typography>
    </Box>
  );
}

function LineRows({ formula, perCall }: { formula: ReturnType<typeof chargeFormula>; perCall: boolean }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const counterName = useCounterName();
  return (
    <tbody>
      {formula.lines.map(({ counter, quantity, rate, rateNano, amount }) => (
        <tr key={counter}>
          <td>{counterName(counter)}</td>
          <td>{format.number(quantity)}</td>
          <td>
            × {rate}
            {!perCall && (
              <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
                {t('perMillion', { price: format.usd(usdPerMillion(rateNano, POINTS_PER_USD)) })}
              </Typography>
            )}
          </td>
          <td>{amount}</td>
        </tr>
      ))}
    </tbody>
  );
}

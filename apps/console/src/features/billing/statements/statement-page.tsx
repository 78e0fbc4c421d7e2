import Button from '@mui/material/Button';
import { IconFileTypeCsv, IconFileTypePdf, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { csvUrl, pdfUrl, statementQuery } from './queries.ts';
import { StatementSheet } from './statement-sheet.tsx';
import { useUtcFormat } from './use-utc-format.ts';

/** One month as a sheet of paper. */
export function StatementPage() {
  const { t } = useTranslation('statements');
  const { date = '' } = useParams({ strict: false });
  const { month } = useUtcFormat();
  const { data, error, refetch } = useQuery(statementQuery(date));
  return (
    <>
      <PageHeader
        title={data === undefined ? t('statement') : month(data.date)}
        actions={
          data !== undefined && (
            <>
              <Button color="inherit" startIcon={<IconPrinter size={18} />} onClick={() => window.print()}>
                {t('print')}
              </Button>
              <Button
                component="a"
                color="inherit"
                variant="outlined"
                startIcon={<IconFileTypeCsv size={18} />}
                href={csvUrl(date)}
                download
              >
                {t('csv')}
              </Button>
              <Button
                component="a"
                variant="contained"
                startIcon={<IconFileTypePdf size={18} />}
                href={pdfUrl(date)}
                download
              >
                {t('pdf')}
              </Button>
            </>
          )
        }
      />
      {data === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={640} />
      ) : (
        <StatementSheet statement={data} />
      )}
    </>
  );
}

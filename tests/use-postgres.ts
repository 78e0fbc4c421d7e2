/** Passes the address of the run's PostgreSQL to each test file of a project on PostgreSQL. */
import { inject } from 'vitest';

process.env['TEST_POSTGRES'] = inject('postgresUri');

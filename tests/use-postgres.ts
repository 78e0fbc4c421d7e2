/** Before each test file of a project on PostgreSQL: tells it where the server of this run is. */
import { inject } from 'vitest';

process.env['TEST_POSTGRES'] = inject('postgresUri');

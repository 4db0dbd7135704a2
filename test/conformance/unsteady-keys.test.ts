import { testsOfUnsteadyKeys } from './unsteady-keys.ts';

testsOfUnsteadyKeys(10);

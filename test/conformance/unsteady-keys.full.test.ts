import { draws } from '../support/draws.ts';
import { testsOfUnsteadyKeys } from './unsteady-keys.ts';

testsOfUnsteadyKeys(draws(25));

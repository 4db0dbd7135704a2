import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeApplication } from './suite.mjs';

describeApplication({ describe, it, beforeAll, afterAll });

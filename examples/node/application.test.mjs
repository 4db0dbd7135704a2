import { after, before, describe, it } from 'node:test';
import { describeApplication } from './suite.mjs';

describeApplication({ describe, it, beforeAll: before, afterAll: after });

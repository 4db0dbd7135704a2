import { diagnosesLargeInputs } from './large-inputs.ts';

diagnosesLargeInputs({ megabytes: 2, wrapMemory: 30_000_000 });

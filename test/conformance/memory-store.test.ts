// The memory store is the reference of the contract: if it breaks a rule, every store may.

import { memoryStore } from '@mannerly/frontier';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { describe, it } from 'vitest';
import { memoryUnderTest } from './virtual-store.js';

describe('the memory store', () => {
  frontierStoreSuite({
    test: (title, body) => void it(title, body),
    makeStore: async (settings) => memoryUnderTest(settings),
    capabilities: memoryStore().capabilities,
    isBounded: true,
  });
});

#!/usr/bin/env node
import '../dist/cli/lean-engine.js';
import '../dist/cli/main.js';

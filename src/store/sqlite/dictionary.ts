/**
 * What the stored form of almost every message holds, the most frequent last. Part of the format: another text needs
 * another codec.
 */
export const BUILT_IN_DICTIONARY = Buffer.from(
  [
    '"type":"text","text":"',
    '"type":"image_url","image_url":{"url":"data:image/png;base64,',
    '"stop_reason":"end_turn","stop_sequence":null,"model":"',
    '"finish_reason":"tool_calls","finish_reason":"stop","system_fingerprint":"',
    '"model_provider":"openai","model_name":"gpt-',
    '"tokenUsage":{"promptTokens":,"completionTokens":,"totalTokens":},',
    '"usage":{"prompt_tokens":,"completion_tokens":,"total_tokens":,"prompt_tokens_details":{"cached_tokens":0},',
    '"usage_metadata":{"input_tokens":,"output_tokens":,"total_tokens":,',
    '"input_token_details":{"cache_read":0},"output_token_details":{"reasoning":0}}',
    '{"~":["s",{"node":"tools","args":{"lg_tool_call":',
    '{"~":["m","SystemMessage",{"content":"',
    '{"~":["m","HumanMessage",{"content":"',
    '{"~":["m","ToolMessage",{"content":"","status":"success","name":"","tool_call_id":"call_',
    '{"~":["m","AIMessage",{"content":"","tool_calls":[{"name":"","args":{"query":"},"id":"call_","type":"tool_call"}],',
    '"tool_calls":[],"invalid_tool_calls":[],"additional_kwargs":{},"response_metadata":{},"id":null}]}',
  ].join(""),
);

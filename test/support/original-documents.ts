/**
 * The documents with which the format of extensions and tools was published, character for character: what was written
 * from them has to be served. Only the comment in the tool, which JSON does not have, is left out.
 */
export const ORIGINAL_DOCUMENTS = {
  'extensions/zgsm-ai/evaluator.json': String.raw`{
  "name": "evaluator",
  "publisher": "zgsm-ai",
  "displayName": "项目质量评估器",
  "icon": "images/evaluator.png",
  "description": "评估项目代码的质量，给出各个质量维度的评估报告",
  "version": "1.0.0",
  "extensionType": "prompt",
  "license": "Apache-2.0",
  "engines": {
    "name": "ai-prompt-shell",
    "version": ">=1.0.0"
  },
  "contributes": {
    "prompts": [
      {
        "name": "evaluate_quality",
        "messages": [
          {
            "role": "system",
            "content": "You are a code review assistant who can evaluate the quality of the project."
          },
          {
            "role": "user",
            "content": "Evaluate the project code from the following dimensions and give a quality assessment report.\nEvaluation dimensions:\n{{.vscode.rules}}\nCode context:\n{{.codebase.current_project}}"
          }
        ],
        "supports": [
          "chat",
          "codereview"
        ],
        "parameters": [
          {
            "name": "repo",
            "type": "string",
            "default": "",
            "description": "仓库地址"
          }
        ],
        "returns": []
      }
    ],
    "languages": ["c++", "c", "lua", "python"],
    "dependences": [
      {
        "name": "scan-gitrepo",
        "version": "^1.0.0",
        "failStrategy": "abort"
      },
      {
        "name": "context",
        "version": "^1.2.0",
        "failStrategy": "ignore"
      }
    ]
  }
}`,
  'tools/translator/translate_zh_en.json': `{
  "name": "translate_zh_en",
  "module": "translator",
  "type": "restful",
  "url": "/translate/zh/en",
  "description": "将输入代码中的中文注释、字符串翻译为英文",
  "supports": [
    "chat",
    "completion",
    "codereview"
  ],
  "parameters": {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
      "code": {
        "type": "string",
        "description": "代码文本"
      }
    },
    "required": [
      "code"
    ]
  },
  "returns": {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
      "translated_code": {
        "type": "string",
        "description": "翻译后的代码文本"
      }
    }
  }
}`,
  'environs/vscode/programming_language.json': '"go"',
  'environs/vscode/frameworks.json': '["gin","gorm", "gin-swagger"]',
} as const

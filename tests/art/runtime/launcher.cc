// Starts a program in ART: the options before -- are the VM's, then comes the class whose main is
// called, with its arguments. Exit code 1 for an uncaught exception.
#include <dlfcn.h>
#include <jni.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace
{

using Create = jint (*)(JavaVM **, JNIEnv **, void *);

JavaVM *create_vm(char **begin, char **end, JNIEnv **env)
{
    std::vector<JavaVMOption> options;
    void *library = dlopen("libart.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return nullptr;
    }
    for (; begin != end; begin++) {
        options.push_back({*begin, nullptr});
    }
    JavaVMInitArgs arguments{JNI_VERSION_1_6, static_cast<jint>(options.size()), options.data(),
                             JNI_FALSE};
    JavaVM *vm = nullptr;
    auto create = reinterpret_cast<Create>(dlsym(library, "JNI_CreateJavaVM"));
    return create(&vm, env, &arguments) == JNI_OK ? vm : nullptr;
}

void call_main(JNIEnv *env, std::string name, char **words, int count)
{
    jobjectArray arguments =
        env->NewObjectArray(count, env->FindClass("java/lang/String"), nullptr);
    for (int i = 0; i < count; i++) {
        env->SetObjectArrayElement(arguments, i, env->NewStringUTF(words[i]));
    }
    std::replace(name.begin(), name.end(), '.', '/');
    jclass type = env->FindClass(name.c_str());
    jmethodID method =
        type != nullptr ? env->GetStaticMethodID(type, "main", "([Ljava/lang/String;)V") : nullptr;
    if (method != nullptr) {
        env->CallStaticVoidMethod(type, method, arguments);
    }
}

} // namespace

int main(int count, char **words)
{
    char **end = words + count;
    char **dashes =
        std::find_if(words, end, [](char *word) { return std::strcmp(word, "--") == 0; });
    if (end - dashes < 2) {
        std::fprintf(stderr, "usage: run VM-OPTION... -- CLASS ARGUMENT...\n");
        return 2;
    }
    JNIEnv *env = nullptr;
    JavaVM *vm = create_vm(words + 1, dashes, &env);
    if (vm == nullptr) {
        std::fprintf(stderr, "there is no VM\n");
        return 3;
    }
    call_main(env, dashes[1], dashes + 2, static_cast<int>(end - dashes - 2));
    int code = env->ExceptionCheck() ? 1 : 0;
    if (code != 0) {
        env->ExceptionDescribe();
    }
    if (vm->DetachCurrentThread() != JNI_OK) {
        code = 4;
    }
    vm->DestroyJavaVM();
    return code;
}
